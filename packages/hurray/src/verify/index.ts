/**
 * Checks files and streams by every rule of the format, and lists all that breaks one. Imports no tensor.
 *
 * @packageDocumentation
 */
export type { Rule } from "../errors.js";
export type { HurrayInput } from "../source/input.js";
export type { HurraySource } from "../source/source.js";
export type { Finding } from "./finding.js";
export type { VerifyOptions } from "./options.js";
export { verify } from "./verify.js";
