package io.lampone.client.core.step;

/**
 * Request to the transaction manager or to the store, as a value. Only drivers can execute it.
 *
 * @param <T> its reply
 */
public interface Request<T> {}
