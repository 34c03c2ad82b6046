// The words of the service, as the contract spells them: MESSAGE_MODE_STEER is "steer". "unknown" is what a newer server
// says and this client has no word for.
export {};
