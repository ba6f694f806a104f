import type { Checks } from "../forms.js";
import * as attention from "./attention.js";
import * as elementwise from "./elementwise.js";
import * as functions from "./functions.js";
import * as images from "./images.js";
import * as indexing from "./indexing.js";
import * as loss from "./loss.js";
import * as matmul from "./matmul.js";
import * as reduce from "./reduce.js";
import * as rows from "./rows.js";
import * as views from "./views.js";

const FAMILIES = [elementwise, functions, reduce, rows, matmul, images, attention, indexing, loss, views];

/** What is checked of every differentiable operation. */
export const CHECKS = Object.assign({}, ...FAMILIES.map((family) => family.CHECKS)) as Required<Checks>;
