// A backend whose one kernel is wrong, and whose name needs escaping.
export default { name: 'wrong <&"> one', seamVersion: 1, kernels: { logicalNot: () => {} } };
