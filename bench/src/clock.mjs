// @ts-check
/**
 * A call to be measured.
 *
 * @typedef {{ run: () => unknown, isAsync?: boolean, times?: number }} Call
 */

/** Nanoseconds that a call takes, over `count` of them. */
export async function batch(/** @type {Call} */ { run, isAsync = false, times = 1 }, /** @type {number} */ count) {
  const start = process.hrtime.bigint();
  if (isAsync) for (let i = 0; i < count; i++) await run();
  else for (let i = 0; i < count; i++) run();
  return Number(process.hrtime.bigint() - start) / (count * times);
}

/** Warms a call up, and finds how many of it fill a batch; both in milliseconds. */
export async function calibrate(/** @type {Call} */ call, /** @type {number} */ warm, /** @type {number} */ length) {
  const { times = 1 } = call;
  let count = 1;
  for (let total = 0; ; ) {
    const each = (await batch(call, count)) * times * 1e-6;
    const taken = each * count;
    total += taken;
    if (total >= warm) return Math.max(1, Math.round(length / each));
    if (taken < length / 2) count = Math.max(count + 1, Math.min(count * 4, Math.ceil(length / Math.max(each, 1e-6))));
  }
}
