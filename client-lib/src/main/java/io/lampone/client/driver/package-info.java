/**
 * Carries out the steps of the client's machines: on futures, or on the thread of a caller that
 * waits.
 */
@NullMarked
package io.lampone.client.driver;

import org.jspecify.annotations.NullMarked;
