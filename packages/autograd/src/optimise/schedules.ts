import { describe } from "@sw/layout";
import { checkNumber, finite, whole } from "../check-number.js";

/**
 * Gives the learning rate of a step, counted from 0. It has no state: a run that is continued asks for later steps.
 *
 *     optimiser.learningRate = schedule(step);
 * @since 0.1.0
 */
export type Schedule = (step: number) => number;

/** Makes a schedule of a function of steps, each checked. */
function schedule(operation: string, rate: Schedule): Schedule {
  return (step) => {
    checkNumber(operation, "the step", step, (x) => x >= 0, "a number of at least 0");
    return rate(step);
  };
}

/**
 * Makes a schedule of one rate.
 *
 * @throws TypeError, or GradientError `SW_AUTOGRAD_OPTION`, for a rate that is no finite number of at least 0; the
 * schedule itself for a step below 0.
 * @since 0.1.0
 */
export function constant(rate: number): Schedule {
  finite("constant", "the rate", rate);
  return schedule("constant", () => rate);
}

/**
 * Makes a schedule that goes from one rate to another in a straight line, and stays there from `steps` on.
 *
 * @throws as {@link constant}, also for a number of steps that is no integer of at least 1.
 * @since 0.1.0
 */
export function linear(from: number, to: number, steps: number): Schedule {
  return between("linear", from, to, steps, (part) => part);
}

/**
 * Makes a schedule that goes from one rate to another along half a wave of the cosine, slowly at both ends, and stays
 * there from `steps` on. The last bit may differ between hosts, as their cosines do.
 *
 * @throws as {@link linear}.
 * @example
 * ```ts
 * import { cosine, warmup } from "@sw/autograd";
 * const rate = warmup(2, cosine(0.8, 0, 4));
 * console.log([0, 1, 2, 6, 9].map(rate)); // [ 0.4, 0.8, 0.8, 0, 0 ]
 * ```
 * @since 0.1.0
 */
export function cosine(from: number, to: number, steps: number): Schedule {
  return between("cosine", from, to, steps, (part) => (1 - Math.cos(Math.PI * part)) / 2);
}

function between(
  operation: string,
  from: number,
  to: number,
  steps: number,
  curve: (part: number) => number,
): Schedule {
  finite(operation, "the first rate", from);
  finite(operation, "the last rate", to);
  whole(operation, "the number of steps", steps, 1);
  return schedule(operation, (step) => (step >= steps ? to : from + (to - from) * curve(step / steps)));
}

/**
 * Makes a schedule that multiplies the rate by a factor after each step. The last bit may differ between hosts.
 *
 * @throws as {@link constant}, also for the factor.
 * @since 0.1.0
 */
export function exponential(from: number, factor: number): Schedule {
  finite("exponential", "the first rate", from);
  finite("exponential", "the factor", factor);
  return schedule("exponential", (step) => from * factor ** step);
}

/**
 * Puts some steps before a schedule, in which the rate rises in a straight line to the schedule's first: step k of n has
 * `(k+1)/n` of it.
 *
 * @throws as {@link constant}, for a number of steps that is no integer of at least 0; TypeError for what is no schedule.
 * @since 0.1.0
 */
export function warmup(steps: number, then: Schedule): Schedule {
  whole("warmup", "the number of steps", steps, 0);
  if (typeof then !== "function") {
    throw new TypeError(`warmup: no schedule comes after: got ${describe(then)}, expected a function of steps.`);
  }
  return schedule("warmup", (step) => (step < steps ? (then(0) * (step + 1)) / steps : then(step - steps)));
}
