const http = require("http")
const html = require("html")

const page = http.get(input.url)
return { title: html.parse(page.body).find("title").text, url: input.url }
