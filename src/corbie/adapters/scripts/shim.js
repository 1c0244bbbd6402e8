// What a script sees besides the language. Evaluated first, in every job's fresh context; only JSON
// text passes between here and Python, through `corbieCall`, which never throws. Gives a function
// from the setup's text to the outcome's: "d" and the output, or "e" and what was thrown.
(function () {
  "use strict";
  const call = globalThis.corbieCall;
  delete globalThis.corbieCall;
  const { parse, stringify } = JSON;
  const evaluate = globalThis.eval;
  const NativeError = Error;
  const NativeString = String;
  const NativePromise = Promise;
  const { isArray } = Array;
  const { keys, defineProperty, prototype: plainPrototype } = Object;
  const sourceOf = Function.prototype.call.bind(Function.prototype.toString);
  const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
  const toBase64 = Function.prototype.call.bind(Uint8Array.prototype.toBase64);
  const fromBase64 = Uint8Array.fromBase64.bind(Uint8Array);
  const isView = ArrayBuffer.isView.bind(ArrayBuffer);
  const NATIVE = [
    [Map, "a Map; write Object.fromEntries(map)"],
    [Set, "a Set; write [...set]"],
    [RegExp, "a RegExp; write its .source"],
    [Error, "an Error; write its .message"],
    [Promise, "a promise; nothing here waits for one, so return a value"],
    [ArrayBuffer, "an ArrayBuffer; make a text or a list of it"],
  ];
  const DEPTH_MAX = 200;
  const LOG_LENGTH_MAX = 64 * 1024;
  Error.stackTraceLimit = 50;

  function fault(message, code) {
    const made = new NativeError(message);
    made.code = code;
    return made;
  }

  function ask(name, ...given) {
    const answer = parse(call(name, stringify(given)));
    if (answer.error !== undefined) throw fault(answer.error, answer.code);
    return answer.ok;
  }

  // A copy that is JSON and nothing else, or an error that says what to write instead.
  function plain(value, path, depth) {
    if (value !== null && typeof value === "object" && typeof value.toJSON === "function") {
      if (value instanceof Date && !(value.getTime() - value.getTime() === 0)) {
        throw fault(`${path} is an invalid Date`, "bad_input");
      }
      value = value.toJSON();
    }
    switch (typeof value) {
      case "string":
        return wellFormed(value);
      case "boolean":
        return value;
      case "undefined":
        return null;
      case "number":
        if (value - value !== 0) throw fault(`${path} is ${value}, which JSON cannot hold`, "bad_input");
        return value;
      case "object":
        break;
      case "bigint":
        throw fault(`${path} is a BigInt; write Number(…) or String(…)`, "bad_input");
      default:
        throw fault(`${path} is a ${typeof value}, which is no JSON value`, "bad_input");
    }
    if (value === null) return null;
    if (depth >= DEPTH_MAX) {
      throw fault(`${path} is nested more than ${DEPTH_MAX} levels deep, or in a circle`, "bad_input");
    }
    if (isArray(value)) {
      const list = [];
      for (let i = 0; i < value.length; i++) {
        defineProperty(list, i, field(plain(value[i], `${path}[${i}]`, depth + 1)));
      }
      return list;
    }
    return plainObject(value, path, depth);
  }

  function plainObject(value, path, depth) {
    for (const [kind, what] of NATIVE) {
      if (value instanceof kind) throw fault(`${path} is ${what}`, "bad_input");
    }
    if (isView(value)) throw fault(`${path} is bytes; make a text or a list of them`, "bad_input");
    const made = {};
    for (const name of keys(value)) {
      const item = value[name];
      if (item !== undefined) {
        defineProperty(made, wellFormed(name), field(plain(item, `${path}.${name}`, depth + 1)));
      }
    }
    return made;
  }

  const field = (value) => ({ value, enumerable: true, configurable: true, writable: true });

  function shown(value) {
    if (typeof value === "string") return value;
    try {
      if (value instanceof NativeError) return `${value.name}: ${value.message}`;
      if (value !== null && typeof value === "object") return stringify(plain(value, "it", 0));
      return typeof value === "function" ? `[function ${value.name}]` : NativeString(value);
    } catch (error) {
      return "[a value that cannot be shown]";
    }
  }

  function say(level, values) {
    let text = "";
    for (let i = 0; i < values.length; i++) {
      text += (i ? " " : "") + shown(values[i]);
      if (text.length > LOG_LENGTH_MAX) {
        text = `${text.slice(0, LOG_LENGTH_MAX)}… (cut)`;
        break;
      }
    }
    ask("log", level, wellFormed(text));
  }

  function emit(...given) {
    const named = given.length > 1;
    const value = plain(named ? given[1] : given[0], "the emitted value", 0);
    ask("emit", named ? given[0] : null, value);
  }

  function fail(message, data) {
    const at = new NativeError("").stack;
    ask("fail", shown(message), data === undefined ? null : plain(data, "data", 0), at);
  }

  const tools = {
    ask,
    fault,
    plain: (value, what) => plain(value, what, 0),
    toWire: (value) => (isView(value) ? { base64: toBase64(bytesOf(value)) } : value),
    fromWire: (text) => fromBase64(text),
  };

  function bytesOf(view) {
    if (view instanceof Uint8Array) return view;
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  }

  const modules = new Map();
  const files = new Map();
  const loading = [];

  function requireModule(name) {
    if (!modules.has(name)) modules.set(name, evaluate(ask("module", name))(tools));
    return modules.get(name);
  }

  function requireFile(from, name) {
    const found = ask("find", from, name);
    if (files.has(found)) return files.get(found).exports;
    const at = loading.indexOf(found);
    if (at >= 0) {
      const circle = [...loading.slice(at), found].join(" requires ");
      throw fault(`files require each other in a circle: ${circle}`, "bad_input");
    }
    const module = { exports: {} };
    if (found.endsWith(".json")) module.exports = parse(ask("text", found));
    else runFile(found, module);
    files.set(found, module);
    return module.exports;
  }

  function runFile(path, module) {
    const { code, body } = ask("code", path);
    const require = (name) => {
      if (typeof name !== "string") throw fault("require takes a name", "bad_input");
      return name.startsWith("./") || name.startsWith("../") ? requireFile(path, name) : requireModule(name);
    };
    const inner = evaluate(code)(require, module, module.exports);
    // A script that closes the function it stands in would make another one of the rest.
    if (sourceOf(inner) !== `function () {\n${body}\n}`) {
      throw new SyntaxError(`${path}: a } or ) closes what was never opened`);
    }
    loading.push(path);
    try {
      return inner();
    } finally {
      loading.pop();
    }
  }

  function thrown(error) {
    if (error instanceof NativeError) {
      const { name, message, stack } = error;
      const text = name === "Error" ? message : `${name}: ${message}`;
      return { message: NativeString(text), stack: NativeString(stack) };
    }
    if (error === null) return { message: "null was thrown, or the memory ran out", stack: "" };
    return { message: shown(error), stack: "" };
  }

  return function start(setupText) {
    const { main, ...names } = parse(setupText);
    const console = {
      log: (...values) => say("info", values),
      info: (...values) => say("info", values),
      warn: (...values) => say("warn", values),
      error: (...values) => say("error", values),
    };
    const sleep = (ms) => ask("sleep", ms);
    const given = { ...names, console, log: console.log, emit, fail, sleep };
    for (const name of keys(given)) defineProperty(globalThis, name, field(given[name]));
    try {
      const value = runFile(main, { exports: {} });
      if (value instanceof NativePromise) {
        throw fault("the script returned a promise; calls are synchronous, so return a value", "bad_input");
      }
      return `d${stringify(plain(value, "the output", 0))}`;
    } catch (error) {
      return `e${stringify(thrown(error))}`;
    }
  };
})();
