// Index maps: functions from coordinates to indices that no layout expresses.
export type { IndexMap } from "./maps/index-map.js";
