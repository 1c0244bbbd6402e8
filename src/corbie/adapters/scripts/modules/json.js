(function (tools) {
  const { parse, stringify } = JSON;
  return {
    parse(text) {
      if (typeof text !== "string") throw tools.fault("json.parse takes a text", "bad_input");
      try {
        return parse(text);
      } catch (error) {
        throw tools.fault(`not JSON: ${error.message}`, "bad_input");
      }
    },
    format: (value, indent) => stringify(tools.plain(value, "the value"), null, indent),
  };
})
