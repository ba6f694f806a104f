/** The codes of the errors that `@sw/autograd` throws. @since 0.1.0 */
export type AutogradErrorCode =
  | "SW_AUTOGRAD_CHECKPOINT"
  | "SW_AUTOGRAD_COTANGENT"
  | "SW_AUTOGRAD_COTANGENT_MISSING"
  | "SW_AUTOGRAD_CREATE_GRAPH"
  | "SW_AUTOGRAD_CUSTOM"
  | "SW_AUTOGRAD_DTYPE"
  | "SW_AUTOGRAD_GRADCHECK"
  | "SW_AUTOGRAD_LEAF"
  | "SW_AUTOGRAD_NAME"
  | "SW_AUTOGRAD_NOT_FINITE"
  | "SW_AUTOGRAD_NO_GRAPH"
  | "SW_AUTOGRAD_OPTION"
  | "SW_AUTOGRAD_OVERLAP"
  | "SW_AUTOGRAD_RELEASED"
  | "SW_AUTOGRAD_RULE_MISSING"
  | "SW_AUTOGRAD_SHAPE"
  | "SW_AUTOGRAD_STATE";

/** What an error's message speaks of. @since 0.1.0 */
export interface GradientErrorFields {
  /** The operation whose record or rule is meant. */
  readonly operation?: string;
  readonly given?: unknown;
  readonly expected?: unknown;
}

/** A gradient that is asked of something that has none, or that does not fit. @since 0.1.0 */
export class GradientError extends Error {
  readonly code: AutogradErrorCode;
  readonly operation: string | undefined;
  readonly given: unknown;
  readonly expected: unknown;
  constructor(code: AutogradErrorCode, message: string, fields: GradientErrorFields = {}) {
    super(message);
    this.name = "GradientError";
    this.code = code;
    this.operation = fields.operation;
    this.given = fields.given;
    this.expected = fields.expected;
  }
}

/** A backward through history that an earlier backward released. @since 0.1.0 */
export class GraphReleasedError extends Error {
  readonly code: AutogradErrorCode;
  readonly operation: string;
  constructor(operation: string) {
    super(
      `backward: the history of ${operation} was released by an earlier backward: got a second pass, expected one. Pass { retainGraph: true } to the first.`,
    );
    this.name = "GraphReleasedError";
    this.code = "SW_AUTOGRAD_RELEASED";
    this.operation = operation;
  }
}
