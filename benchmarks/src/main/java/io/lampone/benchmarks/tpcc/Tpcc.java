package io.lampone.benchmarks.tpcc;

import io.lampone.benchmarks.oltp.Loader;
import io.lampone.benchmarks.oltp.Terminal;
import io.lampone.benchmarks.oltp.Workload;
import io.lampone.client.LamponeClient;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;

/** The five transactions by their shares (section 5.2.3), without think times. */
public final class Tpcc implements Workload {

  private static final int PAYMENT_PERCENT = 43;
  private static final int EACH_OTHER_PERCENT = 4;

  private final Scale scale;

  /** Payments chosen so far, for the key of the history. */
  private final AtomicInteger payments = new AtomicInteger();

  public Tpcc(Scale scale) {
    this.scale = scale;
  }

  @Override
  public String name() {
    return "tpcc";
  }

  @Override
  public List<String> types() {
    return List.of(NewOrder.TYPE, Payment.TYPE, OrderStatus.TYPE, Delivery.TYPE, StockLevel.TYPE);
  }

  @Override
  public List<TableName> tables() {
    return Tables.ALL;
  }

  @Override
  public void load(Loader loader) throws IOException {
    Terminal loading = new Terminal(0, new SplittableRandom(scale.items()));
    new TpccLoad(loader, scale, new TpccRandom(loading, scale)).run();
  }

  @Override
  public Work next(Terminal terminal) {
    TpccRandom chance = new TpccRandom(terminal, scale);
    int percent = terminal.uniform(1, 100);
    if (percent <= PAYMENT_PERCENT) {
      return new Payment(chance, scale, terminal.number() + 1, payments.incrementAndGet());
    }
    if (percent <= PAYMENT_PERCENT + EACH_OTHER_PERCENT) {
      return new OrderStatus(chance);
    }
    if (percent <= PAYMENT_PERCENT + 2 * EACH_OTHER_PERCENT) {
      return new Delivery(chance);
    }
    if (percent <= PAYMENT_PERCENT + 3 * EACH_OTHER_PERCENT) {
      return new StockLevel(chance);
    }
    return new NewOrder(chance, scale);
  }

  @Override
  public List<String> conditions() {
    return Conditions.NAMES;
  }

  @Override
  public List<String> check(LamponeClient client) throws IOException {
    return client.run(transaction -> Conditions.read(transaction).violations());
  }
}
