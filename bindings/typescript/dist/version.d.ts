/** The version of the contract from which this package was generated. */
export declare const PROTOCOL_VERSION = 20;
