/** Puts what is to be sent in a row: one write at a time, in the order of calls, answers ahead of the rest. */
export interface Outbox {
  /** Sends bytes; settles when they are written. */
  send(bytes: Uint8Array, isAnswer?: boolean): Promise<void>;
  /** How many answers wait. */
  answers(): number;
}

interface Letter {
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Makes an outbox. When a write fails the later ones are tried all the same, and fail by themselves. */
export function createOutbox(write: (bytes: Uint8Array) => Promise<void>): Outbox {
  const answers: Letter[] = [];
  const others: Letter[] = [];
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    for (let letter = answers.shift() ?? others.shift(); letter; letter = answers.shift() ?? others.shift()) {
      try {
        await write(letter.bytes);
        letter.resolve();
      } catch (error) {
        letter.reject(error);
      }
    }
    isRunning = false;
  };
  return {
    send: (bytes, isAnswer = false) =>
      new Promise((resolve, reject) => {
        (isAnswer ? answers : others).push({ bytes, resolve, reject });
        if (!isRunning) void run();
      }),
    answers: () => answers.length,
  };
}
