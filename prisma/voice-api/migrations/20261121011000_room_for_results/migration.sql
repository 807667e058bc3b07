-- A delivery is written twice: when it is planned, and when its result is known. With room on its page the second writing stays
-- there and touches no index (a heap-only tuple); on full pages it cost as much as the first one, and left as much to clean up.
ALTER TABLE "webhook_deliveries" SET (fillfactor = 60);
