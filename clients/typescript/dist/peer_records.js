// What peer mail's answers hold.
export {};
