package io.lampone.tm.core;

/** Listener of a node that ignores every event. */
public final class IdleListener implements NodeListener {

  @Override
  public void becamePrimary(long epoch) {}

  @Override
  public void sealed() {}

  @Override
  public void unsealed() {}

  @Override
  public void handedOver(String address) {}

  @Override
  public void retired(Retirement retirement) {}
}
