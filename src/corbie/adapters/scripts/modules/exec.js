(function (tools) {
  return {
    run: (program, args, options) => tools.ask("exec.run", program, args, options),
  };
})
