package io.lampone.tm.admission;

import io.lampone.protocol.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All tenants, by name. Event loop only. */
public final class Tenants {

  /** Name of all tenants without an individual quota. */
  public static final String OTHERS = "others";

  /** Connections reserved for administrators when there is no other room. */
  public static final int RESERVE = 16;

  private final Clock clock;
  private final Map<String, Tenant> byName = new HashMap<>();
  private final Tenant others;
  private final Tenant reserve;

  public Tenants(Quotas quotas, Clock clock) {
    this.clock = clock;
    this.others = new Tenant(OTHERS, quotas.others(), clock.monotonicNanos());
    Quota few = new Quota(Quota.UNLIMITED, Quota.UNLIMITED, Quota.UNLIMITED, RESERVE);
    this.reserve = new Tenant("reserve", few, clock.monotonicNanos());
    apply(quotas);
  }

  /** Returns the tenants with an individual quota by name, then all others as one. */
  public List<Tenant> all() {
    List<Tenant> all = new ArrayList<>(new TreeMap<>(byName).values());
    all.add(others);
    return all;
  }

  /** Returns the tenant to which clients of that name are accounted. */
  public Tenant find(String name) {
    return byName.getOrDefault(name, others);
  }

  /** Returns the reserve for administrators without other room; not part of {@link #all}. */
  public Tenant reserve() {
    return reserve;
  }

  /**
   * Applies other quotas. Clients whose tenant has gained or lost an individual quota must then be
   * moved: {@link Tenant#handOver}.
   */
  public void apply(Quotas quotas) {
    others.change(quotas.others());
    byName.keySet().retainAll(quotas.byTenant().keySet());
    byName.forEach(
        (name, tenant) -> tenant.change(quotas.byTenant().getOrDefault(name, quotas.others())));
    quotas
        .byTenant()
        .forEach(
            (name, quota) ->
                byName.computeIfAbsent(
                    name, added -> new Tenant(added, quota, clock.monotonicNanos())));
  }
}
