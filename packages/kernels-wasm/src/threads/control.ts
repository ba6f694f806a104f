// How a thread is handed a job: by words of the shared memory that both see. Nothing is allocated, and no message is sent.

/** Words of the block of a thread, as numbers of 32 bits. */
export const WORD = {
  /** The number of the job that was handed over last; `ENDED` for no more of them. */
  job: 0,
  /** The number of the job that is over. */
  done: 1,
  /** 1 where the last job failed. */
  failed: 2,
  /** 1 while the thread sleeps, and has to be woken. */
  sleeps: 3,
  /** The arguments begin here. */
  arguments: 4,
} as const;

/** The number of no job. */
export const ENDED = -1;

/** Arguments of a product: those of `multiplyByRows`, the size of an element first. */
export const PRODUCT_ARGUMENTS = 14;
/** Bytes of the block of a thread: a cache line or two of its own. */
export const CONTROL_BYTES = 256;

/** How long a thread looks for its next job before it sleeps, in milliseconds. */
export const AWAKE_MS = 0.1;

/** What a thread is started with. */
export interface ThreadStart {
  readonly memory: WebAssembly.Memory;
  readonly core: WebAssembly.Module;
  /** The products that multiply and add at once, where they are used. */
  readonly fused: WebAssembly.Module | undefined;
  /** Addresses of the words, and of working memory of the thread's own. */
  readonly control: number;
  readonly scratch: number;
}
