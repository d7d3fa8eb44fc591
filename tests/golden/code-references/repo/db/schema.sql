CREATE TABLE orders (
  id bigint PRIMARY KEY,
  cents bigint NOT NULL
);

CREATE INDEX orders_by_cents ON orders (cents);
