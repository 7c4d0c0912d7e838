/*
 * Plain queries through JDBC: prepared statements with ?, the server's own
 * prepared statement from the second execution on, and a plain Statement.
 *
 * usage: java -cp postgresql.jar Jdbc.java
 *
 * Prints what client.py does, with the names of Java's classes for types.
 */
import java.sql.*;
import java.util.*;

public class Jdbc
{
	static final String CHARGED =
		"SELECT coalesce(sum(statements), 0) FROM dp_agg.budgets WHERE role = current_user::regrole";
	static Connection connection;

	interface Question
	{
		ResultSet ask() throws SQLException;
	}

	/* A value as JSON. */
	static String json(Object value)
	{
		if (value == null || value instanceof Long)
			return String.valueOf(value);
		if (value instanceof Collection)
			return "[" + String.join(", ", ((Collection<?>) value).stream().map(Jdbc::json).toList()) + "]";
		return "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", " ") + "\"";
	}

	static long charged() throws SQLException
	{
		try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(CHARGED))
		{
			result.next();
			return result.getLong(1);
		}
	}

	/* Ask, and print names, types, rows and what was charged. */
	static void ask(String name, Question question) throws SQLException
	{
		long before = charged();
		List<Object> columns = new ArrayList<>(), types = new ArrayList<>(), rows = new ArrayList<>();

		try (ResultSet result = question.ask())
		{
			ResultSetMetaData about = result.getMetaData();
			for (int i = 1; i <= about.getColumnCount(); i++)
				columns.add(about.getColumnLabel(i));
			while (result.next())
			{
				List<Object> row = new ArrayList<>();
				for (int i = 1; i <= about.getColumnCount(); i++)
				{
					Object value = result.getObject(i);
					if (rows.isEmpty())
						types.add(value == null ? null : value.getClass().getSimpleName());
					row.add(value == null ? null : value.toString());
				}
				rows.add(row);
			}
		}
		catch (SQLException error)
		{
			System.out.printf("{\"name\": %s, \"error\": %s}%n", json(name), json(error.getMessage()));
			return;
		}
		System.out.printf("{\"name\": %s, \"columns\": %s, \"types\": %s, \"rows\": %s, \"charged\": %d}%n",
						  json(name), json(columns), json(types), json(rows), charged() - before);
	}

	/* Ask for what only the owner may read; print how many rows came, or the SQLSTATE. */
	static void refused(String name, Question question) throws SQLException
	{
		long before = charged(), count = 0;
		Object answer;

		try (ResultSet result = question.ask())
		{
			while (result.next())
				count++;
			answer = count;
		}
		catch (SQLException error)
		{
			answer = error.getSQLState();
		}
		System.out.printf("{\"name\": %s, \"answer\": %s, \"charged\": %d}%n", json(name), json(answer), charged() - before);
	}

	/* A prepared statement's answer, with values for its parameters. */
	static ResultSet run(PreparedStatement statement, Object... values) throws SQLException
	{
		for (int i = 0; i < values.length; i++)
			statement.setObject(i + 1, values[i]);
		return statement.executeQuery();
	}

	public static void main(String[] arguments) throws Exception
	{
		Map<String, String> env = System.getenv();
		Properties properties = new Properties();

		properties.setProperty("user", env.get("PGUSER"));
		properties.setProperty("password", "none is asked for");
		properties.setProperty("options", env.getOrDefault("PGOPTIONS", ""));
		/* The server keeps a statement that is executed a second time. */
		properties.setProperty("prepareThreshold", "2");
		connection = DriverManager.getConnection("jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" +
												 env.get("PGDATABASE"), properties);

		ask("count", () -> connection.createStatement().executeQuery("SELECT count(*) FROM people"));
		PreparedStatement cities = connection.prepareStatement(
			"SELECT city, count(*) AS n, avg(age) FROM people WHERE age >= ? GROUP BY city ORDER BY city");
		/* More often than PostgreSQL plans a statement anew for each execution's parameters. */
		for (int age : new int[] {30, 35, 40, 45, 50, 55, 60, 65})
			ask("cities", () -> run(cities, age));
		PreparedStatement sums = connection.prepareStatement(
			"SELECT sum(age), sum(points), sum(income), min(born), max(age) FROM people WHERE city = ?");
		ask("sums", () -> run(sums, "Graz"));
		ask("units", () -> connection.createStatement().executeQuery("SELECT count(DISTINCT id) FROM people WHERE active"));
		ask("keys", () -> connection.createStatement().executeQuery("SELECT DISTINCT city FROM people ORDER BY city"));

		/* In a transaction with a fetch size, a cursor of the protocol's reads the answer in parts. */
		connection.setAutoCommit(false);
		cities.setFetchSize(2);
		ask("parts", () -> run(cities, 18));
		connection.commit();
		connection.setAutoCommit(true);

		/* What a statement would return, before it runs. */
		long before = charged();
		PreparedStatement rows = connection.prepareStatement("SELECT * FROM people WHERE id = ?");
		List<Object> described = new ArrayList<>();
		for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++)
			described.add(rows.getMetaData().getColumnLabel(i));
		System.out.printf("{\"name\": \"described\", \"columns\": %s, \"types\": [], \"rows\": [], \"charged\": %d}%n",
						  json(described), charged() - before);
		ask("probe", () -> connection.createStatement().executeQuery("SELECT * FROM people WHERE 1 = 0"));
		refused("rows", () -> run(rows, 1));
		ask("after", () -> connection.createStatement().executeQuery("SELECT count(*) FROM visits"));
	}
}
