package io.lampone.coprocessor.healer;

import io.lampone.protocol.config.Property;
import java.util.List;

/** Declarations of the properties that {@link HealerSettings} reads, in the page's order. */
public final class HealerPropertyList {

  /** Every property, once. */
  public static final List<Property> ALL =
      List.of(
          Property.flag(
              HealerSettings.ENABLED,
              true,
              "Whether the healer settles what dead clients leave; without it readers do, where they"
                  + " meet it."),
          Property.duration(
              HealerSettings.PERIOD,
              "10s",
              "0ms",
              "",
              "Pause of the healer between two passes over the server's regions; up to four times as"
                  + " long while something fails."),
          Property.duration(
              HealerSettings.DELAY,
              "10s",
              "0ms",
              "",
              "What is younger the healer leaves to its client, which does the same in milliseconds."),
          Property.count(
              HealerSettings.CELLS_PER_SECOND,
              50_000,
              1,
              Integer.MAX_VALUE,
              "Transaction cells that the healer looks at in a second."),
          Property.count(
              HealerSettings.TRANSACTIONS_PER_SECOND,
              500,
              1,
              Integer.MAX_VALUE,
              "Transactions that the healer settles in a second."));

  private HealerPropertyList() {}
}
