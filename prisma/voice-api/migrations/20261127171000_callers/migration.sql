-- Who called, or was called (docs/voice-api.md#callers): the customer's own id, a number, an e-mail
-- address or another name. Callers are read from conversations through the index; nothing is stored.
CREATE OR REPLACE FUNCTION "caller_of"(channel TEXT, direction TEXT, from_address TEXT, to_address TEXT, metadata JSONB)
RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN metadata ->> 'customer_id' <> '' THEN 'id:' || left(metadata ->> 'customer_id', 250)
    WHEN phone.number ~ '^[+][0-9]{3,20}$' OR (phone.number ~ '^[0-9]{3,20}$' AND channel IS DISTINCT FROM 'web' AND channel IS DISTINCT FROM 'chat')
      THEN 'tel:' || phone.number
    WHEN given.address ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND given.address !~* '^sips?:' THEN 'mailto:' || lower(left(given.address, 250))
    WHEN given.address <> '' THEN 'id:' || left(given.address, 250)
  END
  FROM (SELECT btrim(CASE WHEN direction = 'outbound' THEN to_address ELSE from_address END) AS address) AS given
  CROSS JOIN LATERAL (SELECT regexp_replace(regexp_replace(
    CASE WHEN given.address ~* '^(tel|sips?):' THEN regexp_replace(given.address, '^[a-zA-Z]+:([^@;]*).*$', '\1') ELSE given.address END,
    '[[:space:]().\/-]', '', 'g'), '^00', '+') AS number) AS phone
$$;
