--
-- The data of the demonstration.
--

-- The 2,201 people on board the Titanic, rebuilt from the counts of class x
-- sex x age x survival in R. J. MacG. Dawson, "The 'Unusual Episode' Data
-- Revisited", Journal of Statistics Education 3(3), 1995 (the data set Titanic
-- of R).
CREATE TABLE published (
	class		text NOT NULL,
	sex			text NOT NULL,
	age_group	text NOT NULL,
	died		int NOT NULL,
	lived		int NOT NULL
);

INSERT INTO published VALUES
	('1st',  'male',   'child', 0,     5),
	('1st',  'male',   'adult', 118,  57),
	('1st',  'female', 'child', 0,     1),
	('1st',  'female', 'adult', 4,   140),
	('2nd',  'male',   'child', 0,    11),
	('2nd',  'male',   'adult', 154,  14),
	('2nd',  'female', 'child', 0,    13),
	('2nd',  'female', 'adult', 13,   80),
	('3rd',  'male',   'child', 35,   13),
	('3rd',  'male',   'adult', 387,  75),
	('3rd',  'female', 'child', 17,   14),
	('3rd',  'female', 'adult', 89,   76),
	('crew', 'male',   'child', 0,     0),
	('crew', 'male',   'adult', 670, 192),
	('crew', 'female', 'child', 0,     0),
	('crew', 'female', 'adult', 3,    20);

-- One row a person.
CREATE TABLE titanic (
	id			int PRIMARY KEY,
	class		text NOT NULL,
	sex			text NOT NULL,
	age_group	text NOT NULL,
	survived	boolean NOT NULL
);

INSERT INTO titanic
SELECT row_number() OVER (), class, sex, age_group, survived
FROM published,
	 LATERAL (VALUES (false, died), (true, lived)) AS outcome(survived, people),
	 LATERAL generate_series(1, people);

DO $$
BEGIN
	ASSERT (SELECT count(*) = 2201 AND count(*) FILTER (WHERE survived) = 711 FROM titanic);
END
$$;

-- What a history book may print: the true answers to compare with.
CREATE VIEW history_book AS
SELECT class, sex, sum(died + lived) AS people, sum(lived) AS survivors
FROM published GROUP BY class, sex;

-- Made-up hospital visits, many rows a person: 20,000 patients with 1 to 12
-- visits each to one or two of five clinics.  Costs lie mostly between 20 and 300.
CREATE TABLE visits (
	patient		int NOT NULL,
	clinic		text NOT NULL,
	day			date NOT NULL,
	cost		numeric(8,2) NOT NULL
);

SELECT setseed(0.1912);

INSERT INTO visits
SELECT patient,
	   (ARRAY['east', 'harbour', 'north', 'south', 'west'])[clinic],
	   date '2024-01-01' + (random() * 365)::int,
	   round((20 + 20 * clinic * -ln(1 - random()))::numeric, 2)
FROM generate_series(1, 20000) AS patient,
	 LATERAL generate_series(1, 1 + (patient * 7) % 12) AS visit,
	 LATERAL (SELECT 1 + (patient + (visit % 5 = 0)::int) % 5) AS home(clinic);

CREATE INDEX ON visits (patient);
ANALYZE;
