require("fs").append(input.log, "ran\n");
return { n: input.n };
