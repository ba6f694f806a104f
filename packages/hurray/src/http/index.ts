/**
 * Files on web servers, of which only the parts that are asked for are fetched.
 *
 * @packageDocumentation
 */
export { type HurrayErrorCode, HurrayHttpError, HurrayLimitError, HurraySourceError } from "../errors.js";
export type { HurraySource } from "../source/source.js";
export { type HttpOptions, httpSource } from "./http-source.js";
