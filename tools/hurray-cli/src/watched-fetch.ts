/**
 * Makes a `fetch` that is told of silence: whenever an answer, or the next bytes of one, take longer than `timeout`
 * milliseconds. It ends nothing itself: that is for the signal of the request.
 */
export function watchedFetch(timeout: number, onSilence: () => void): typeof fetch {
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(onSilence, timeout);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  };
  return async (input, init) => {
    const response = await watched(fetch(input, init));
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(watchedBody(response.body, watched), { status, statusText, headers });
  };
}

function watchedBody(
  body: ReadableStream<Uint8Array>,
  watched: <T>(work: Promise<T>) => Promise<T>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await watched(reader.read());
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead: time runs only while someone waits.
    { highWaterMark: 0 },
  );
}
