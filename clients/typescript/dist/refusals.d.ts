/** The classes of refusals by their codes. */
import { KinpostError } from "./errors.js";
type ErrorClass = typeof KinpostError;
/** The classes by their codes. `ApprovalPending` is not there: it is an answer, not a refusal. */
export declare const REFUSALS: ReadonlyMap<string, ErrorClass>;
export {};
