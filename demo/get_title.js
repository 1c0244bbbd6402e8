const http = require("http")
const html = require("html")

const page = http.get(input.url)
const title = html.parse(page.body).find("title")
return { title: title ? title.text : null, url: input.url }
