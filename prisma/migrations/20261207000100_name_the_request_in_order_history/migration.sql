-- AlterTable
ALTER TABLE "order_history" ADD COLUMN     "correlation_id" TEXT;
