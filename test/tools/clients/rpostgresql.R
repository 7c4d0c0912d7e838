# Plain queries through RPostgreSQL, and those that dbplyr writes of dplyr's verbs.
#
# usage: Rscript rpostgresql.R sql|dplyr
#
# Prints what client.py does, with R's classes for types.
suppressPackageStartupMessages(library(RPostgreSQL))

connection <- dbConnect(PostgreSQL(), host = Sys.getenv("PGHOST"), port = Sys.getenv("PGPORT"),
                        dbname = Sys.getenv("PGDATABASE"), user = Sys.getenv("PGUSER"))
charged <- function() dbGetQuery(connection,
  "SELECT coalesce(sum(statements), 0)::int AS n FROM dp_agg.budgets WHERE role = current_user::regrole")$n

json_array <- function(values) paste0("[", paste(values, collapse = ", "), "]")
quoted <- function(values) ifelse(is.na(values), "null", paste0('"', gsub('"', '\\\\"', vapply(as.list(values), format, "", digits = 15)), '"'))

# Ask what returns a data frame, and print it.
ask <- function(name, question) {
  before <- charged()
  answer <- tryCatch(as.data.frame(suppressWarnings(question())), error = function(e) conditionMessage(e))
  if (!is.data.frame(answer) || ncol(answer) == 0) {
    cat(sprintf('{"name": "%s", "error": "no answer"}\n', name))
    return(invisible())
  }
  columns <- lapply(answer, function(column) quoted(column))
  rows <- vapply(seq_len(nrow(answer)), function(i) json_array(vapply(columns, function(column) column[i], "")), "")
  types <- if (nrow(answer) > 0) vapply(answer, function(column) class(column)[1], "") else character(0)
  cat(sprintf('{"name": "%s", "columns": %s, "types": %s, "rows": %s, "charged": %d}\n', name,
              json_array(quoted(names(answer))), json_array(quoted(types)), json_array(rows), as.integer(charged() - before)))
}

# Ask for what only the owner may read: how many rows came, or "error".
refused <- function(name, question) {
  before <- charged()
  answer <- tryCatch(nrow(as.data.frame(suppressWarnings(question()))), error = function(e) '"error"')
  if (is.null(answer) || answer == 0) answer <- '"error"'
  cat(sprintf('{"name": "%s", "answer": %s, "charged": %d}\n', name, answer, as.integer(charged() - before)))
}

if (commandArgs(TRUE)[1] == "sql") {
  query <- function(...) function() dbGetQuery(connection, ...)
  ask("count", query("SELECT count(*) FROM people"))
  ask("cities", query("SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= $1 GROUP BY city ORDER BY city", 30))
  ask("sums", query("SELECT sum(age) AS a, sum(points) AS p, min(born), max(age) FROM people WHERE city = $1", "Graz"))
  ask("keys", query("SELECT DISTINCT city FROM people ORDER BY city"))
  refused("rows", query("SELECT * FROM people LIMIT 5"))
  ask("after", query("SELECT count(*) FROM visits"))
} else {
  suppressPackageStartupMessages(library(dplyr))
  before <- charged()
  people <- tbl(connection, "people")
  visits <- tbl(connection, "visits")
  cat(sprintf('{"name": "tables", "columns": %s, "types": [], "rows": [], "charged": %d}\n',
              json_array(quoted(c(colnames(people), colnames(visits)))), as.integer(charged() - before)))
  ask("count", function() people |> count() |> collect())
  ask("cities", function() people |> group_by(city) |> summarise(n = n(), age = mean(age, na.rm = TRUE)) |> arrange(city) |> collect())
  ask("filtered", function() people |> filter(age >= 30, active) |> summarise(n = n(), income = sum(income, na.rm = TRUE)) |> collect())
  ask("median", function() people |> summarise(age = median(age, na.rm = TRUE)) |> collect())
  ask("units", function() people |> summarise(n = n_distinct(id)) |> collect())
  ask("having", function() people |> group_by(city) |> summarise(n = n()) |> filter(n > 3000) |> collect())
  ask("joined", function() visits |> inner_join(people, by = c("person" = "id")) |> group_by(city) |> summarise(cost = sum(cost, na.rm = TRUE)) |>
      arrange(city) |> collect())
  ask("keys", function() people |> distinct(city) |> arrange(city) |> collect())
  refused("rows", function() people |> head(5) |> collect())
}
invisible(dbDisconnect(connection))
