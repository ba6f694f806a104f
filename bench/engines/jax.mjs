import { peer } from "../peers/load.mjs";

/** jax-js on its WebAssembly backend, within `jit` unless a row's task says `eager`. It counts references by hand. */
export async function start() {
  const jax = await peer("@jax-js/jax");
  const { numpy: np, jit } = jax;
  return {
    version: `jax-js 0.1.25 on ${jax.defaultDevice()}`,
    prepare(task, inputs) {
      const operation = task.eager || task.realise ? task(jax) : jit(task(jax));
      const given = inputs.map(({ data, shape }) => np.array(data).reshape(shape));
      const once = () => operation(...given.map((x) => x.ref));
      if (task.view) return { run: () => once().dispose(), end: () => given.forEach((x) => void x.dispose()) };
      return {
        isAsync: true,
        async run() {
          const result = once();
          if (task.realise) result._realizeSource();
          await result.blockUntilReady();
          result.dispose();
        },
        values: () => once().data(),
        end: () => given.forEach((x) => void x.dispose()),
      };
    },
    /** A task with a state: it gives parameters, and a step from these to a loss and the next ones. */
    prepareSteps(task, inputs) {
      const { parameters, data, step } = task(jax)(...inputs.map(({ data, shape }) => np.array(data).reshape(shape)));
      const compiled = jit(step);
      let current = parameters;
      const once = async () => {
        const [loss, next] = compiled(current, ...data.map((x) => x.ref));
        current = next;
        await jax.blockUntilReady([loss, next]);
        return loss;
      };
      return {
        isAsync: true,
        run: async () => (await once()).dispose(),
        values: async () => (await once()).data(),
        end() {},
      };
    },
  };
}
