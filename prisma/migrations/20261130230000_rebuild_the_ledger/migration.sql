-- Payments now follow from the objects that events speak of, which the old rows do not hold.
-- Events that were processed before have to be processed again to fill them.
DROP TABLE "payments";

-- CreateTable
CREATE TABLE "payment_objects" (
    "provider" TEXT NOT NULL,
    "object_key" TEXT NOT NULL,
    "cluster_key" TEXT NOT NULL,
    "heard" JSONB NOT NULL,

    CONSTRAINT "payment_objects_pkey" PRIMARY KEY ("provider","object_key")
);

-- CreateTable
CREATE TABLE "payments" (
    "provider" TEXT NOT NULL,
    "payment_id" TEXT NOT NULL,
    "object_key" TEXT NOT NULL,
    "order_id" TEXT,
    "rival_order_ids" TEXT[],
    "status" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "state_at" TIMESTAMPTZ(3) NOT NULL,
    "succeeded_at" TIMESTAMPTZ(3),
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "currency" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "received_minor" BIGINT NOT NULL,
    "refunded_minor" BIGINT NOT NULL,
    "disputed_minor" BIGINT NOT NULL,
    "charged_back_minor" BIGINT NOT NULL,
    "flags" TEXT[],
    "account" TEXT,
    "livemode" BOOLEAN,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "payments_pkey" PRIMARY KEY ("provider","object_key")
);

-- CreateIndex
CREATE INDEX "payment_objects_provider_cluster_key_idx" ON "payment_objects"("provider", "cluster_key");

-- CreateIndex
CREATE INDEX "payments_order_id_idx" ON "payments"("order_id");

-- Few payments are named by several orders, and few by none: the indexes hold only these.
-- CreateIndex
CREATE INDEX "payments_rival_order_ids_idx" ON "payments" USING GIN ("rival_order_ids") WHERE "rival_order_ids" <> '{}';

-- CreateIndex
CREATE INDEX "payments_created_at_provider_object_key_idx" ON "payments"("created_at", "provider", "object_key") WHERE "order_id" IS NULL;
