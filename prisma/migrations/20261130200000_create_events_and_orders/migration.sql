-- CreateTable
CREATE TABLE "webhook_events" (
    "message_id" UUID NOT NULL,
    "provider" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "account" TEXT,
    "livemode" BOOLEAN,
    "api_version" TEXT,
    "status" TEXT NOT NULL DEFAULT 'received',
    "reason" TEXT,
    "occurred_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "processed_at" TIMESTAMPTZ(3),
    "duplicate_count" INTEGER NOT NULL DEFAULT 0,
    "last_duplicate_at" TIMESTAMPTZ(3),
    "secret_name" TEXT NOT NULL,
    "correlation_id" TEXT NOT NULL,
    "causation_id" TEXT,

    CONSTRAINT "webhook_events_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "event_bodies" (
    "message_id" UUID NOT NULL,
    "api_version" TEXT NOT NULL DEFAULT '',
    "body" BYTEA NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "event_bodies_pkey" PRIMARY KEY ("message_id","api_version")
);

-- Bodies of some KB stay in the row as they are: compressing and moving them out cost a quarter of each insert.
ALTER TABLE "event_bodies" ALTER COLUMN "body" SET STORAGE EXTERNAL;
ALTER TABLE "event_bodies" SET (toast_tuple_target = 8160);

-- CreateTable
CREATE TABLE "event_references" (
    "message_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT NOT NULL,

    CONSTRAINT "event_references_pkey" PRIMARY KEY ("value","message_id","kind")
);

-- CreateTable
CREATE TABLE "event_attempts" (
    "message_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "attempt" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "finished_at" TIMESTAMPTZ(3),
    "outcome" TEXT NOT NULL,
    "error" TEXT,

    CONSTRAINT "event_attempts_pkey" PRIMARY KEY ("job_id","attempt")
);

-- CreateTable
CREATE TABLE "orders" (
    "order_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "currency" TEXT,
    "expected_minor" BIGINT,
    "account" TEXT,
    "metadata" JSONB,
    "registered_at" TIMESTAMPTZ(3),
    "paid_minor" BIGINT NOT NULL DEFAULT 0,
    "refunded_minor" BIGINT NOT NULL DEFAULT 0,
    "disputed_minor" BIGINT NOT NULL DEFAULT 0,
    "charged_back_minor" BIGINT NOT NULL DEFAULT 0,
    "flags" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("order_id")
);

-- CreateTable
CREATE TABLE "payments" (
    "provider" TEXT NOT NULL,
    "payment_id" TEXT NOT NULL,
    "order_id" TEXT,
    "claim_rank" INTEGER,
    "claimed_at" TIMESTAMPTZ(3),
    "state" TEXT NOT NULL,
    "state_rank" INTEGER NOT NULL,
    "state_at" TIMESTAMPTZ(3) NOT NULL,
    "state_event_id" TEXT NOT NULL,
    "succeeded_at" TIMESTAMPTZ(3),
    "currency" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "received_minor" BIGINT NOT NULL DEFAULT 0,
    "received_rank" INTEGER NOT NULL DEFAULT 0,
    "refunded_minor" BIGINT NOT NULL DEFAULT 0,
    "account" TEXT,
    "livemode" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("provider","payment_id")
);

-- CreateTable
CREATE TABLE "order_history" (
    "id" BIGSERIAL NOT NULL,
    "order_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "from" TEXT NOT NULL,
    "to" TEXT NOT NULL,
    "message_id" UUID,
    "fact" TEXT,
    "note" TEXT,

    CONSTRAINT "order_history_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_events_provider_message_id_idx" ON "webhook_events"("provider", "message_id");

-- CreateIndex
CREATE INDEX "webhook_events_type_message_id_idx" ON "webhook_events"("type", "message_id");

-- CreateIndex
CREATE INDEX "webhook_events_status_message_id_idx" ON "webhook_events"("status", "message_id");

-- CreateIndex
CREATE INDEX "webhook_events_livemode_message_id_idx" ON "webhook_events"("livemode", "message_id");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_events_event_id_provider_key" ON "webhook_events"("event_id", "provider");

-- CreateIndex
CREATE INDEX "event_references_message_id_idx" ON "event_references"("message_id");

-- CreateIndex
CREATE INDEX "event_attempts_message_id_idx" ON "event_attempts"("message_id");

-- CreateIndex
CREATE INDEX "orders_updated_at_order_id_idx" ON "orders"("updated_at", "order_id");

-- CreateIndex
CREATE INDEX "orders_status_updated_at_order_id_idx" ON "orders"("status", "updated_at", "order_id");

-- CreateIndex
CREATE INDEX "orders_flags_idx" ON "orders" USING GIN ("flags");

-- CreateIndex
CREATE INDEX "payments_order_id_idx" ON "payments"("order_id");

-- CreateIndex
CREATE INDEX "order_history_order_id_id_idx" ON "order_history"("order_id", "id");

-- CreateIndex
CREATE INDEX "order_history_message_id_idx" ON "order_history"("message_id");

