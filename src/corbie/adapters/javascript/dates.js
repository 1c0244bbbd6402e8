// Gives Date whose local time is UTC and whose present is `state.now`, and Math.random drawn
// from `state`. ES5, so that every engine can run it. Nothing is left of the native parser:
// engines differ in the texts they read, and read those without a zone in the process's own.
(function (state) {
  "use strict";
  var Native = Date;
  var proto = Native.prototype;
  var utc = Native.UTC;
  var floor = Math.floor;
  var imul = Math.imul || function (a, b) {
    return ((a & 0xffff) * b + ((((a >>> 16) * b) & 0xffff) << 16)) | 0;
  };
  var define = Object.defineProperty;
  var time = proto.getTime;
  var DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
  var MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  var ISO = /^([+-]\d{6}|\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d\d:?\d\d))?)?$/;
  var CLOCK = "(?:,? +(\\d\\d?):(\\d\\d)(?::(\\d\\d))?(?: *([ap])\\.?m\\.?)?)?";
  var ZONE = "(?: *(?:GMT|UTC?|Z)?([+-]\\d\\d:?\\d\\d)?)?(?: *\\([^)]*\\))?$";
  var DAY_FIRST = new RegExp("^(?:[a-z]{3,9},? +)?(\\d{1,2})[ -]([a-z]{3,9})\\.?[ -](\\d{4})" + CLOCK + ZONE, "i");
  var MONTH_FIRST = new RegExp("^(?:[a-z]{3,9},? +)?([a-z]{3,9})\\.? +(\\d{1,2}),? +(\\d{4})" + CLOCK + ZONE, "i");
  var SLASHES = new RegExp("^(\\d{1,2})/(\\d{1,2})/(\\d{4})" + CLOCK + ZONE, "i");

  function put(target, name, value) {
    define(target, name, { value: value, writable: true, enumerable: false, configurable: true });
  }

  function month(name) {
    var short = name.charAt(0).toUpperCase() + name.slice(1, 3).toLowerCase();
    return MONTHS.indexOf(short);
  }

  function zone(text) {
    if (!text || text === "Z" || text === "z") return 0;
    var digits = text.slice(1).replace(":", "");
    var minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
    return (text.charAt(0) === "-" ? -minutes : minutes) * 60000;
  }

  // Gives NaN for a day or time that does not exist; 24:00:00 is the next day's start.
  function instant(year, index, day, clock, offset) {
    var at = new Native(0);
    at.setUTCFullYear(year, index, day);
    if (at.getUTCMonth() !== index || at.getUTCDate() !== day) return NaN;
    var whole = clock[0] * 3600000 + clock[1] * 60000 + clock[2] * 1000 + clock[3];
    if (clock[1] > 59 || clock[2] > 59 || whole > 86400000) return NaN;
    return at.getTime() + whole - offset;
  }

  function parseIso(text) {
    var found = ISO.exec(text);
    if (!found || found[1] === "-000000") return NaN;
    var millis = found[7] ? floor(Number((found[7] + "00").slice(0, 3))) : 0;
    var clock = [Number(found[4] || 0), Number(found[5] || 0), Number(found[6] || 0), millis];
    var index = found[2] === undefined ? 0 : Number(found[2]) - 1;
    var day = found[3] === undefined ? 1 : Number(found[3]);
    return instant(Number(found[1]), index, day, clock, zone(found[8]));
  }

  function parseWords(found, index, day) {
    var hour = Number(found[4] || 0);
    if (found[7]) {
      if (hour < 1 || hour > 12) return NaN;
      hour = (hour % 12) + (found[7].toLowerCase() === "p" ? 12 : 0);
    }
    var clock = [hour, Number(found[5] || 0), Number(found[6] || 0), 0];
    return instant(Number(found[3]), index, day, clock, zone(found[8]));
  }

  function parse(text) {
    var line = String(text).trim();
    var at = parseIso(line);
    if (at === at) return new Native(at).getTime();
    var found = DAY_FIRST.exec(line);
    if (found) return parseWords(found, month(found[2]), Number(found[1]));
    found = MONTH_FIRST.exec(line);
    if (found) return parseWords(found, month(found[1]), Number(found[2]));
    found = SLASHES.exec(line);
    if (found) return parseWords(found, Number(found[1]) - 1, Number(found[2]));
    return NaN;
  }

  function first(value) {
    if (value instanceof Native) return time.call(value);
    if (typeof value === "object" && value !== null) {
      var inner = value.valueOf();
      value = typeof inner === "object" ? String(value) : inner;
    }
    return typeof value === "string" ? parse(value) : Number(value);
  }

  function CorbieDate(year, index) {
    var count = arguments.length;
    if (!(this instanceof Native)) return new Native(state.now).toString();
    if (count === 0) return new Native(state.now);
    if (count === 1) return new Native(first(year));
    return new Native(utc.apply(undefined, arguments));
  }

  function two(number) {
    return (number < 10 ? "0" : "") + number;
  }

  function year(at) {
    var number = at.getUTCFullYear();
    var digits = String(number < 0 ? -number : number);
    while (digits.length < 4) digits = "0" + digits;
    return (number < 0 ? "-" : "") + digits;
  }

  function clockText(at) {
    return two(at.getUTCHours()) + ":" + two(at.getUTCMinutes()) + ":" + two(at.getUTCSeconds());
  }

  function dayText(at) {
    return DAYS[at.getUTCDay()] + " " + MONTHS[at.getUTCMonth()] + " " + two(at.getUTCDate()) + " " + year(at);
  }

  function plainDay(at) {
    return year(at) + "-" + two(at.getUTCMonth() + 1) + "-" + two(at.getUTCDate());
  }

  function text(name, write) {
    put(proto, name, function () {
      var number = time.call(this);
      return number === number ? write(new Native(number)) : "Invalid Date";
    });
  }

  ["Date", "Day", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds"].forEach(function (part) {
    put(proto, "get" + part, proto["getUTC" + part]);
    if (part !== "Day") put(proto, "set" + part, proto["setUTC" + part]);
  });
  put(proto, "getYear", function () {
    return this.getUTCFullYear() - 1900;
  });
  put(proto, "setYear", function (number) {
    var whole = Number(number);
    return this.setUTCFullYear(whole >= 0 && whole <= 99 ? 1900 + floor(whole) : whole);
  });
  put(proto, "getTimezoneOffset", function () {
    var number = time.call(this);
    return number === number ? 0 : NaN;
  });
  text("toString", function (at) { return dayText(at) + " " + clockText(at) + " GMT+0000 (UTC)"; });
  text("toDateString", dayText);
  text("toTimeString", function (at) { return clockText(at) + " GMT+0000 (UTC)"; });
  text("toLocaleString", function (at) { return plainDay(at) + " " + clockText(at); });
  text("toLocaleDateString", plainDay);
  text("toLocaleTimeString", clockText);

  put(CorbieDate, "UTC", utc);
  put(CorbieDate, "parse", function (text) { return parse(text); });
  put(CorbieDate, "now", function () { return state.now; });
  define(CorbieDate, "name", { value: "Date", configurable: true });
  define(CorbieDate, "length", { value: 7, configurable: true });
  CorbieDate.prototype = proto;
  put(proto, "constructor", CorbieDate);

  // Four words from the seed, then a small fast counter generator with 128 bits of state.
  function seeded(seed) {
    var words = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x6a09e667];
    for (var i = 0; i < seed.length; i++) {
      for (var j = 0; j < 4; j++) {
        words[j] = imul(words[j] ^ seed.charCodeAt(i), 0x01000193 + 2 * j);
        words[j] ^= words[(j + 1) & 3] >>> 13;
      }
    }
    words[3] = 1;
    for (var n = 0; n < 16; n++) next(words);
    return words;
  }

  function next(words) {
    var sum = (words[0] + words[1] + words[3]) | 0;
    words[3] = (words[3] + 1) | 0;
    words[0] = words[1] ^ (words[1] >>> 9);
    words[1] = (words[2] + (words[2] << 3)) | 0;
    words[2] = ((words[2] << 21) | (words[2] >>> 11)) + sum;
    words[2] |= 0;
    return sum >>> 0;
  }

  put(Math, "random", function random() {
    if (state.words === null) state.words = seeded(state.seed + "\n" + state.number);
    var high = next(state.words) >>> 5;
    var low = next(state.words) >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  });
  return CorbieDate;
})
