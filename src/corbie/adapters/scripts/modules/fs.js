(function (tools) {
  const { ask, toWire, fromWire } = tools;
  const call = (name) => (...given) => ask(`fs.${name}`, ...given);
  const stat = (path) => {
    const found = ask("fs.stat", path);
    if (found === null) throw tools.fault(`${path}: there is no such file or folder`, "not_found");
    return found;
  };
  return {
    read: call("read"),
    readBytes: (path) => fromWire(ask("fs.readBytes", path)),
    write: (path, content) => ask("fs.write", path, toWire(content)),
    append: (path, content) => ask("fs.append", path, toWire(content)),
    list: call("list"),
    walk: call("walk"),
    stat,
    exists: (path) => ask("fs.stat", path) !== null,
    mkdir: call("mkdir"),
    copy: call("copy"),
    move: call("move"),
    remove: call("remove"),
    glob: call("glob"),
  };
})
