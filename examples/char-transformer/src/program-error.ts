/** The codes of a {@link ProgramError}. */
export type ProgramErrorCode = "SW_CHAR_TEXT_MISSING" | "SW_CHAR_TEXT_SHORT" | "SW_CHAR_UNKNOWN" | "SW_CHAR_METADATA";

/** What a caller of this program can do something about. */
export class ProgramError extends Error {
  readonly code: ProgramErrorCode;
  constructor(code: ProgramErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "ProgramError";
    this.code = code;
  }
}
