(function (tools) {
  const { ask, fault } = tools;
  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

  function make(number) {
    return number === null ? null : new Element(number);
  }

  class Element {
    #number;
    constructor(number) {
      this.#number = number;
    }
    find(css) {
      return make(ask("html.find", this.#number, css));
    }
    all(css) {
      return ask("html.all", this.#number, css).map(make);
    }
    get text() {
      return ask("html.text", this.#number);
    }
    get html() {
      return ask("html.html", this.#number);
    }
    get attrs() {
      return ask("html.attrs", this.#number);
    }
    attr(name) {
      const { attrs } = this;
      return Object.hasOwn(attrs, name) ? (attrs[name] ?? "") : null;
    }
    get children() {
      return ask("html.children", this.#number).map(make);
    }
    get parent() {
      return make(ask("html.parent", this.#number));
    }
    toJSON() {
      throw fault("an element is no JSON value; write its .text, .html or .attrs", "bad_input");
    }
  }

  return {
    parse: (text) => make(ask("html.parse", text)),
    escape: (text) => String(text).replace(/[&<>"']/g, (letter) => ESCAPES[letter]),
  };
})
