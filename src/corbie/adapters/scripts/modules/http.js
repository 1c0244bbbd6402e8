(function (tools) {
  const { ask, fault, toWire, fromWire } = tools;

  // The UTF-8 of a text, for the rare script that wants the bytes of a text.
  function utf8(text) {
    const escaped = encodeURIComponent(text);
    const bytes = [];
    for (let i = 0; i < escaped.length; i++) {
      if (escaped[i] === "%") {
        bytes.push(parseInt(escaped.slice(i + 1, i + 3), 16));
        i += 2;
      } else bytes.push(escaped.charCodeAt(i));
    }
    return Uint8Array.from(bytes);
  }

  function answer(told) {
    const { base64, ...made } = told;
    Object.defineProperty(made, "bytes", {
      get: () => (base64 === undefined ? utf8(made.body) : fromWire(base64)),
    });
    Object.defineProperty(made, "json", {
      value() {
        try {
          return JSON.parse(made.body);
        } catch (error) {
          throw fault(`${made.url} gave no JSON: ${error.message}`, "failed");
        }
      },
    });
    return made;
  }

  function options(given) {
    if (given === null || typeof given !== "object") {
      throw fault("http.request takes an object with a url", "bad_input");
    }
    const { body, json } = given;
    return {
      ...given,
      ...(body === undefined ? {} : { body: toWire(body) }),
      ...(json === undefined ? {} : { json: tools.plain(json, "json") }),
    };
  }

  const request = (given) => answer(ask("http.request", options(given)));
  const method = (name) => (url, more) => request({ ...more, url, method: name });
  return {
    request,
    get: method("GET"),
    post: method("POST"),
    put: method("PUT"),
    patch: method("PATCH"),
    delete: method("DELETE"),
    download: (url, path, more) => ask("http.download", options({ ...more, url }), path),
  };
})
