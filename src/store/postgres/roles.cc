#include "store/postgres/roles.h"

namespace spoor::store::postgres {
namespace {

// `grants` has who may do what in which store. `rights` has what each of the three needs, in order:
// a later one may do all that an earlier one may. Both the privileges of a role and the policies
// are made from it, so that a role has no privilege that it needs in none of its stores, and no
// rows but those of stores in which it may use that privilege.
constexpr auto kStep = R"(
DO $step$
DECLARE each record; mine text;
BEGIN
  IF (SELECT number FROM spoor.version) <> 1 THEN RETURN; END IF;

  CREATE TABLE spoor.grants (
    store int4 NOT NULL, role regrole NOT NULL,
    may text NOT NULL CHECK (may IN ('reader', 'appender', 'admin')),
    PRIMARY KEY (store, role));
  ALTER TABLE spoor.grants ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON spoor.grants FOR SELECT USING (pg_has_role(role, 'USAGE'));

  CREATE VIEW spoor.rights AS
    SELECT array_position(ARRAY['reader', 'appender', 'admin'], may) AS rank, *
    FROM (VALUES
      ('reader', 'SELECT', 'stores', ''), ('reader', 'SELECT', 'objects', ''),
      ('reader', 'SELECT', 'operations', ''), ('reader', 'SELECT', 'refs', ''),
      ('reader', 'SELECT', 'moves', ''), ('reader', 'SELECT', 'folded', ''),
      ('reader', 'SELECT', 'loose', ''), ('reader', 'SELECT', 'properties', ''),
      ('reader', 'SELECT', 'locals', ''), ('reader', 'SELECT', 'cached', ''),
      ('appender', 'INSERT', 'objects', ''),
      ('appender', 'INSERT', 'operations', '(store, name, at, body)'),
      ('appender', 'UPDATE', 'operations', '(number)'),
      ('appender', 'INSERT', 'refs', ''),
      ('appender', 'UPDATE', 'refs', '(number, target, operation, at)'),
      ('appender', 'INSERT', 'moves', ''),
      ('appender', 'INSERT', 'loose', ''), ('appender', 'UPDATE', 'loose', '(since)'),
      ('appender', 'INSERT', 'locals', ''), ('appender', 'UPDATE', 'locals', '(value)'),
      ('appender', 'DELETE', 'locals', ''),
      ('appender', 'INSERT', 'cached', ''), ('appender', 'UPDATE', 'cached', '(value)'),
      ('admin', 'UPDATE', 'stores', '(epoch, erasures)'),
      ('admin', 'UPDATE', 'objects', '(parent, content)'), ('admin', 'DELETE', 'objects', ''),
      ('admin', 'INSERT', 'operations', '(number)'), ('admin', 'DELETE', 'operations', ''),
      ('admin', 'DELETE', 'moves', ''), ('admin', 'INSERT', 'folded', ''),
      ('admin', 'DELETE', 'loose', ''),
      ('admin', 'INSERT', 'properties', ''), ('admin', 'UPDATE', 'properties', '(value)'),
      ('admin', 'DELETE', 'properties', ''), ('admin', 'DELETE', 'cached', '')
    ) AS r(may, command, relation, columns);

  FOR each IN SELECT relation, command, min(rank) AS rank FROM spoor.rights GROUP BY 1, 2 LOOP
    mine := format(
      '%s = ANY (ARRAY(SELECT g.store FROM spoor.grants g WHERE g.may = ANY (%L::text[])))',
      CASE each.relation WHEN 'stores' THEN 'id' ELSE 'store' END,
      (ARRAY['reader', 'appender', 'admin'])[each.rank:]);
    EXECUTE format('ALTER TABLE spoor.%I ENABLE ROW LEVEL SECURITY', each.relation);
    EXECUTE format('CREATE POLICY %I ON spoor.%I FOR %s %s', lower(each.command), each.relation,
      each.command, CASE
        WHEN each.command = 'INSERT' THEN format('WITH CHECK (%s)', mine)
        -- An operation has its number for good. One below 1 would hide it from readers of the log.
        WHEN each.command = 'UPDATE' AND each.relation = 'operations'
        THEN format('USING (number IS NULL AND %s) WITH CHECK (number > 0 AND %s)', mine, mine)
        ELSE format('USING (%s)', mine) END);
  END LOOP;

  -- Lets a role do what a reader, an appender or an admin may do in a store; 'none' ends that.
  CREATE FUNCTION spoor.allow(store text, role regrole, may text) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog AS $$
  DECLARE each record; given int4;
  BEGIN
    IF may IS NULL OR may NOT IN ('none', 'reader', 'appender', 'admin') THEN
      RAISE EXCEPTION 'a role is none, reader, appender or admin, not %', may;
    END IF;
    SELECT id INTO given FROM spoor.stores WHERE name = convert_to(store, 'UTF8');
    IF given IS NULL THEN RAISE EXCEPTION 'the database has no store %', store; END IF;
    IF role = (SELECT relowner FROM pg_class WHERE oid = 'spoor.stores'::regclass) THEN
      RAISE EXCEPTION '% owns the tables and may do all', role;
    END IF;
    -- A row of a role that was dropped has a number that another role may get in a copy.
    DELETE FROM spoor.grants g WHERE g.store = given AND g.role = allow.role
      OR NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = g.role);
    IF may <> 'none' THEN INSERT INTO spoor.grants VALUES (given, role, may); END IF;
    EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA spoor FROM %s', role);
    EXECUTE format('REVOKE ALL ON SCHEMA spoor FROM %s', role);
    IF NOT EXISTS (SELECT FROM spoor.grants g WHERE g.role = allow.role) THEN RETURN; END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA spoor TO %s', role);
    EXECUTE format('GRANT SELECT ON spoor.version, spoor.grants, spoor.rights TO %s', role);
    FOR each IN SELECT r.* FROM spoor.rights r WHERE r.rank <= (
      SELECT max(array_position(ARRAY['reader', 'appender', 'admin'], g.may))
      FROM spoor.grants g WHERE g.role = allow.role)
    LOOP
      EXECUTE format('GRANT %s %s ON spoor.%I TO %s', each.command, each.columns, each.relation,
        role);
    END LOOP;
  END$$;

  FOR each IN
    SELECT convert_from(s.name, 'UTF8') AS store, a.grantee::regrole AS role, CASE
        WHEN bool_or(a.privilege_type = 'DELETE') THEN 'admin'
        WHEN bool_or(a.privilege_type = 'INSERT') THEN 'appender' ELSE 'reader' END AS may
    FROM spoor.stores s, pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'spoor.objects'::regclass AND a.grantee NOT IN (c.relowner, 0) GROUP BY 1, 2
  LOOP
    PERFORM spoor.allow(each.store, each.role, each.may);
  END LOOP;
  UPDATE spoor.version SET number = 2;
END
$step$)";

}  // namespace

Statement roles_step() { return Statement(kStep); }

}  // namespace spoor::store::postgres
