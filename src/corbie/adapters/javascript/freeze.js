// Leaves only the globals named, and freezes them with all that can be reached from them or from
// what the language itself makes. Run last: it takes away what the other two need.
(function (namesText) {
  "use strict";
  var world = globalThis;
  var { ownKeys, getOwnPropertyDescriptor: describe, getPrototypeOf, defineProperty, deleteProperty } = Reflect;
  var freeze = Object.freeze;
  var isView = ArrayBuffer.isView;
  var allowed = new Set(JSON.parse(namesText));
  var errors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError,
    AggregateError, InternalError];
  var functions = [function () {}, function* () {}, async function () {}, async function* () {}];
  var iterator = Symbol.iterator;
  var roots = [
    [][iterator](), new Map()[iterator](), new Set()[iterator](), ""[iterator](),
    /a/[Symbol.matchAll](""), [].values().map((x) => x), Iterator.from({ next() {} }),
    functions[1].prototype, functions[3].prototype, getPrototypeOf(Uint8Array),
  ];

  // The trace of a stack tells of files and lines that change from version to version.
  Error.stackTraceLimit = 0;
  for (const name of ["stackTraceLimit", "prepareStackTrace", "captureStackTrace"]) {
    deleteProperty(Error, name);
  }
  deleteProperty(Array, "fromAsync");

  for (const made of functions) {
    defineProperty(getPrototypeOf(made), "constructor", { value: undefined });
    roots.push(getPrototypeOf(made));
  }

  for (const name of ownKeys(world)) {
    if (!allowed.has(name)) {
      roots.push(world[name]);
      deleteProperty(world, name);
    }
  }

  // A frozen plain property could not be given to an object that inherits it, as in
  // `copy.constructor = 1`: an accessor whose setter defines it on the receiver lets it.
  function loosen(proto) {
    for (const name of ownKeys(proto)) {
      const found = describe(proto, name);
      if (typeof name === "symbol" || !("value" in found) || !found.configurable) continue;
      const value = found.value;
      defineProperty(proto, name, {
        get() { return value; },
        set(other) {
          const isObject = (typeof this === "object" && this !== null) || typeof this === "function";
          if (!isObject || this === proto) throw new TypeError("'" + name + "' is read-only");
          const given = { value: other, writable: true, enumerable: true, configurable: true };
          if (!defineProperty(this, name, given)) throw new TypeError("'" + name + "' is read-only");
        },
        enumerable: found.enumerable,
        configurable: false,
      });
    }
  }
  for (const made of [Object, Array, Date, ...errors]) loosen(made.prototype);

  var seen = new Set();
  var waiting = [world, ...roots, ...errors];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if ((typeof value !== "object" && typeof value !== "function") || value === null) continue;
    if (seen.has(value)) continue;
    seen.add(value);
    waiting.push(getPrototypeOf(value));
    for (const name of ownKeys(value)) {
      const found = describe(value, name);
      if ("value" in found) waiting.push(found.value);
      else waiting.push(found.get, found.set);
    }
    if (!isView(value)) freeze(value);
  }
})
