(function (tools) {
  return {
    get(name, otherwise) {
      const value = tools.ask("env.get", name);
      return value === null ? (otherwise === undefined ? null : otherwise) : value;
    },
  };
})
