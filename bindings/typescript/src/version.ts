// The version of the contract. Generated: do not edit.

/** The version of the contract from which this package was generated. */
export const PROTOCOL_VERSION = 20;
