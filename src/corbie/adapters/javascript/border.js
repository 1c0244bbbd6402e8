// Gives the functions that Python calls. Only JSON text crosses, both ways: other values are cut,
// wrapped round or lost on the way. ES5, so that every engine can run it; it keeps references of
// its own and looks nothing up on what an expression made, but for `toJSON`.
(function (state) {
  "use strict";
  var parse = JSON.parse;
  var stringify = JSON.stringify;
  var freeze = Object.freeze;
  var keys = Object.keys;
  var getProto = Object.getPrototypeOf;
  var has = Object.prototype.hasOwnProperty;
  var objectProto = Object.prototype;
  var arrayProto = Array.prototype;
  var isArray = Array.isArray;
  var finite = isFinite;
  var call = Function.prototype.call;
  var hasOwn = call.bind(has);
  var apply = call.bind(Function.prototype.apply);
  var time = call.bind(Date.prototype.getTime);
  var join = call.bind(Array.prototype.join);
  var push = call.bind(Array.prototype.push);
  var Failure = Error;
  var Moment = Date;
  var Pattern = RegExp;
  var Table = typeof Map === "function" ? Map : null;
  var Bag = typeof Set === "function" ? Set : null;
  var View = typeof ArrayBuffer === "function" ? ArrayBuffer : null;
  var iterators = typeof Iterator === "function" ? Iterator.prototype : null;
  var DEPTH_MAX = 200;
  var LENGTH_MAX = 8388608;

  function freezeDeeply(value) {
    var names, i;
    if (typeof value !== "object" || value === null) return value;
    if (isArray(value)) {
      for (i = 0; i < value.length; i++) {
        if (typeof value[i] === "object") freezeDeeply(value[i]);
      }
    } else {
      names = keys(value);
      for (i = 0; i < names.length; i++) {
        if (typeof value[names[i]] === "object") freezeDeeply(value[names[i]]);
      }
    }
    return freeze(value);
  }

  function exotic(value) {
    if (value instanceof Moment) {
      try { return time(value) === time(value) ? "" : "invalid date"; } catch (_) { return ""; }
    }
    if (Table !== null && value instanceof Table) return "map";
    if (Bag !== null && value instanceof Bag) return "set";
    if (value instanceof Pattern) return "regexp";
    if (value instanceof Failure) return "error";
    if (View !== null && (value instanceof View || View.isView(value))) return "bytes";
    for (var up = getProto(value); iterators !== null && up !== null; up = getProto(up)) {
      if (up === iterators) return "iterator";
    }
    return "";
  }

  // Gives null, or a fault: a kind, the names on the way to it from the inside out, and the
  // objects it stands in, by which a circle is told from great depth. One frame a level.
  function check(value, name, depth) {
    var found, i, names, proto, kind;
    switch (typeof value) {
      case "string": case "boolean": case "undefined": return null;
      case "number": return finite(value) ? null : fault(value === value ? "infinity" : "nan");
      case "object": break;
      default: return fault(typeof value);
    }
    if (value === null) return null;
    proto = getProto(value);
    if (proto !== objectProto && proto !== arrayProto && proto !== null) {
      kind = exotic(value);
      if (kind !== "") return fault(kind);
    }
    if (typeof value.toJSON === "function") {
      value = value.toJSON(name);
      if (typeof value !== "object" || value === null) return check(value, name, depth);
    }
    if (depth >= DEPTH_MAX) return fault("depth");
    if (isArray(value)) {
      for (i = 0; i < value.length; i++) {
        found = check(value[i], i, depth + 1);
        if (found !== null) return outward(found, i, value);
      }
      return null;
    }
    names = keys(value);
    for (i = 0; i < names.length; i++) {
      found = check(value[names[i]], names[i], depth + 1);
      if (found !== null) return outward(found, names[i], value);
    }
    return null;
  }

  function fault(kind) {
    return { kind: kind, path: [], around: [] };
  }

  function outward(found, name, value) {
    push(found.path, name);
    if (found.kind === "depth") {
      for (var i = 0; i < found.around.length; i++) {
        if (found.around[i] === value) found.kind = "circle";
      }
      push(found.around, value);
    }
    return found;
  }

  // A value is answered as its JSON; a fault begins with `!`, which no JSON does, and the letter of
  // its kind. `+` would make a text in two parts of a long one, and such cannot cross.
  function encode(value) {
    var found = check(value, "", 0);
    if (found !== null) return answer("!r", [found.kind, found.path]);
    var text = stringify(value);
    if (text === undefined) return "null";
    return text.length > LENGTH_MAX ? '!r["size",[]]' : text;
  }

  function answer(kind, facts) {
    return join([kind, stringify(facts)], "");
  }

  function describe(error) {
    if (error === null) return "!n";
    if (error instanceof Failure) {
      return answer("!e", [cut(error.name), cut(error.message)]);
    }
    var shown;
    try { shown = stringify(error); } catch (_) { shown = undefined; }
    return answer("!t", typeof shown === "string" ? cut(shown) : typeof error);
  }

  function cut(value) {
    var text = String(value);
    return text.length > 1000 ? text.slice(0, 1000) + "\u2026" : text;
  }

  // Gives the limit that an error tells of, or nothing. The engine throws null for want of memory
  // as well; so may an expression that holds the word `throw`.
  function limitOf(error) {
    if (error === null) return state.throws ? "" : "memory";
    if (!(error instanceof Failure)) return "";
    if (error.message === "out of memory") return "memory";
    return error.message === "Maximum call stack size exceeded" ? "stack" : "";
  }

  function note(error) {
    var limit = limitOf(error);
    if (limit !== "") state.limit = limit;
  }

  // Gives a scope: values that are frozen, the present in milliseconds, and a seed.
  function open(text, now, seed) {
    return { values: freezeDeeply(parse(text)), now: now, seed: seed };
  }

  // Gives what evaluates a compiled expression, whose parameters are `note` and then `names`.
  function bind(compiled, namesText, throws) {
    var names = parse(namesText);

    function evaluate(scope, moreText) {
      var more = moreText === null ? null : freezeDeeply(parse(moreText));
      var given = [note];
      var values = scope.values;
      for (var i = 0; i < names.length; i++) {
        given[i + 1] = more !== null && hasOwn(more, names[i]) ? more[names[i]] : values[names[i]];
      }
      return encode(apply(compiled, undefined, given));
    }

    return function (scope, number, moreText) {
      var text;
      state.now = scope.now;
      state.seed = scope.seed;
      state.number = number;
      state.words = null;
      state.throws = throws;
      state.limit = "";
      try {
        text = evaluate(scope, moreText);
      } catch (error) {
        try {
          note(error);
          text = describe(error);
        } catch (_) {
          text = '!t"an error that cannot be read"';
        }
      }
      return state.limit === "" ? text : "!l" + state.limit;
    };
  }

  return { open: open, bind: bind };
})
