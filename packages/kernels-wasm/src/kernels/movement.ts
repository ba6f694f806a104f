import type { ModuleBuilder } from "../assembler/index.js";
import { type ElementBytes, emitMove, emitTurn } from "../emit/move.js";
import { emitCopyRuns, emitFillRuns } from "../emit/runs.js";
import type { MoveCall, TurnCall } from "./core.js";

/** What moves elements of every size. */
export interface MovementExports
  extends Readonly<Record<`move${ElementBytes}`, MoveCall>>,
    Readonly<Record<`turn${ElementBytes}`, TurnCall>> {
  readonly copyRuns: CopyRunsCall;
  readonly fillRuns: (...runs: [...Parameters<CopyRunsCall>, size: number]) => void;
}

/** The copy of `emitCopyRuns`. */
export type CopyRunsCall = (
  rows: number,
  bytes: number,
  to: number,
  toRow: number,
  from: number,
  fromRow: number,
) => void;

/** Emits them. */
export function emitMovement(module: ModuleBuilder): void {
  for (const bytes of [1, 2, 4, 8] as const) {
    emitMove(module, `move${bytes}`, bytes);
    emitTurn(module, `turn${bytes}`, bytes);
  }
  emitCopyRuns(module, "copyRuns");
  emitFillRuns(module, "fillRuns");
}
