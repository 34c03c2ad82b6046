/**
 * Returns the exception that a failed call means; what is no failure of a call is returned as it is.
 *
 * The class is found by the stable code in the failure's `google.rpc.ErrorInfo`; an unknown code gives `KinpostError`
 * itself. A failure without one did not come from a Kinpost server's own table: then the gRPC code tells.
 */
export declare function kinpostError(error: unknown): unknown;
