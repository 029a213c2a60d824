package io.lampone.client.core.step;

/**
 * A request to the transaction manager or to the store, as a value. Only drivers can carry it out.
 *
 * @param <T> its answer
 */
public interface Request<T> {}
