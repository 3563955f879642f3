-- Who is signed in to the console. The columns are those that connect-pg-simple reads.
CREATE TABLE "console_sessions" (
    "sid" TEXT NOT NULL,
    "sess" JSONB NOT NULL,
    "expire" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "console_sessions_pkey" PRIMARY KEY ("sid")
);

CREATE INDEX "console_sessions_expire_idx" ON "console_sessions"("expire");

-- Ids sort by their bytes, whatever the locale of the database is, so that an index finds what begins like this.
-- Every order id has the same collation, since texts of two cannot be compared.
ALTER TABLE "webhook_events" ALTER COLUMN "event_id" TYPE TEXT COLLATE "C";
ALTER TABLE "event_references" ALTER COLUMN "value" TYPE TEXT COLLATE "C";
ALTER TABLE "orders" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
ALTER TABLE "payments" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
ALTER TABLE "order_history" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
ALTER TABLE "order_messages" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
ALTER TABLE "message_dispatches" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
ALTER TABLE "dispatch_lanes" ALTER COLUMN "order_id" TYPE TEXT COLLATE "C";
