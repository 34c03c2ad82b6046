// The TypeScript client of Kinpost: typed, patient, and of the same shapes as the Python one.
//
// A runtime author writes the model call and the tools; leases, attempts, claims, commits, repetition and resumption are
// done here; README.md has an example.
export { Client, connect } from "./client.js";
export * from "./errors.js";
export * from "./peer_errors.js";
export * from "./refusals.js";
export { TurnLeftOpen } from "./held_run.js";
export { PATIENCE } from "./retry.js";
export { RunInterrupted } from "./runtime.js";
