import type { Expression, Node } from "./expression.js";

type Shape = "f32x4" | "f64x2";

/** Arithmetic on the lanes of vectors of one shape, as nodes of an expression. */
export class Lanes {
  readonly e: Expression;
  readonly shape: Shape;

  constructor(e: Expression, shape: Shape) {
    this.e = e;
    this.shape = shape;
  }

  /** A number in every lane. */
  of(value: number): Node {
    const bytes = new Uint8Array(16);
    const lanes = this.shape === "f32x4" ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
    lanes.fill(value);
    return this.e.constant(bytes);
  }

  add(a: Node, b: Node): Node {
    return this.e.op(`${this.shape}.add`, a, b);
  }

  sub(a: Node, b: Node): Node {
    return this.e.op(`${this.shape}.sub`, a, b);
  }

  mul(a: Node, b: Node): Node {
    return this.e.op(`${this.shape}.mul`, a, b);
  }

  div(a: Node, b: Node): Node {
    return this.e.op(`${this.shape}.div`, a, b);
  }

  neg(x: Node): Node {
    return this.e.op(`${this.shape}.neg`, x);
  }

  abs(x: Node): Node {
    return this.e.op(`${this.shape}.abs`, x);
  }

  sqrt(x: Node): Node {
    return this.e.op(`${this.shape}.sqrt`, x);
  }

  /** Not below a limit; NaN and a zero of either sign pass. */
  atLeast(x: Node, limit: number): Node {
    return this.e.op(`${this.shape}.pmax`, x, this.of(limit));
  }

  /** Not above a limit; NaN passes. */
  atMost(x: Node, limit: number): Node {
    return this.e.op(`${this.shape}.pmin`, x, this.of(limit));
  }

  /** All bits of a lane where the relation holds, none elsewhere. */
  compare(a: Node, relation: "eq" | "lt" | "gt" | "le" | "ge", b: Node): Node {
    return this.e.op(`${this.shape}.${relation}`, a, b);
  }

  /**
   * `coefficients[0] + coefficients[1]·x + …`, by pairs in x²: half as many steps wait for one another as by single ones.
   */
  polynomial(x: Node, coefficients: readonly number[]): Node {
    const pairs: Node[] = [];
    for (let i = 0; i < coefficients.length; i += 2) {
      const [first, second] = [coefficients[i]!, coefficients[i + 1]];
      pairs.push(second === undefined ? this.of(first) : this.add(this.of(first), this.mul(x, this.of(second))));
    }
    const square = this.mul(x, x);
    return pairs.reduceRight((sum, pair) => this.add(pair, this.mul(square, sum)));
  }

  /** The sign bit alone. */
  signOf(x: Node): Node {
    return this.e.op("v128.and", x, this.of(-0));
  }
}

/** Both where the mask's bits are set, `otherwise` elsewhere. */
export function select(e: Expression, mask: Node, value: Node, otherwise: Node): Node {
  return e.op("v128.bitselect", value, otherwise, mask);
}

/** An integer of 32 bits in every lane. */
export function int32(e: Expression, value: number): Node {
  return e.constant(new Uint8Array(new Int32Array(4).fill(value).buffer));
}

/** An integer of 64 bits in every lane. */
export function int64(e: Expression, value: bigint): Node {
  return e.constant(new Uint8Array(new BigInt64Array(2).fill(value).buffer));
}

/** The halves of a float32 vector in float64. */
export function widened(e: Expression, x: Node): [Node, Node] {
  const upper = e.shuffle(x, x, [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
  return [e.op("f64x2.promote_low_f32x4", x), e.op("f64x2.promote_low_f32x4", upper)];
}

/** Halves in float64 as one vector of float32. */
export function narrowed(e: Expression, halves: readonly [Node, Node]): Node {
  const [low, high] = halves.map((half) => e.op("f32x4.demote_f64x2_zero", half)) as [Node, Node];
  return e.shuffle(low, high, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]);
}

/** Computes in float64: each half of a float32 vector is widened, and the results are rounded once. */
export function inDoubles(e: Expression, x: Node, compute: (d: Lanes, x: Node) => Node): Node {
  const d = new Lanes(e, "f64x2");
  return narrowed(e, widened(e, x).map((half) => compute(d, half)) as [Node, Node]);
}
