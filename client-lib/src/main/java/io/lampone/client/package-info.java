/**
 * Client API, starting at {@link io.lampone.client.LamponeClient}.
 *
 * <p>Source: protocol page, sections 4 and 5; paper section 3.3 (Fragola, Algorithm 3).
 */
@NullMarked
package io.lampone.client;

import org.jspecify.annotations.NullMarked;
