/**
 * The client of the transaction manager: finds the primary, combines concurrent requests into
 * frames, and keeps on asking until an answer comes or the time is up.
 */
@NullMarked
package io.lampone.tmclient;

import org.jspecify.annotations.NullMarked;
