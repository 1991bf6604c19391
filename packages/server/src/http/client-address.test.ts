import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { parseTrustedProxies } from '../domain/addresses.ts'
import { networkOf, readClientAddress } from './client-address.ts'

/** The client's address in a request from this connection, with this setting. */
function addressOf(setting: string, remoteAddress: string, forwarded?: string): string {
  const trusted = setting === '' ? undefined : parseTrustedProxies(setting)
  assert.ok(trusted !== undefined || setting === '')
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const request = { raw: { socket: { remoteAddress } }, headers } as unknown as FastifyRequest
  return readClientAddress(trusted)(request)
}

test('without trusted proxies, the address is that of the connection', () => {
  assert.equal(addressOf('', '10.0.0.1', '203.0.113.7'), '10.0.0.1')
  assert.equal(addressOf('', '::ffff:10.0.0.1'), '10.0.0.1')
  assert.equal(addressOf('', '2001:db8::1'), '2001:db8::1')
})

test('with a number of proxies, as many entries from the right are used', () => {
  assert.equal(addressOf('1', '10.0.0.1'), '10.0.0.1')
  assert.equal(addressOf('1', '10.0.0.1', '203.0.113.7'), '203.0.113.7')
  assert.equal(addressOf('1', '10.0.0.1', '198.51.100.1, 203.0.113.7'), '203.0.113.7')
  assert.equal(addressOf('2', '10.0.0.1', '198.51.100.1, 203.0.113.7'), '198.51.100.1')
  assert.equal(addressOf('3', '10.0.0.1', '198.51.100.1,203.0.113.7'), '198.51.100.1')
})

test('with the addresses of proxies, the first address from the right that is no proxy is used', () => {
  const setting = '10.0.0.0/8, 192.0.2.9, fd00::/8'
  assert.equal(addressOf(setting, '10.1.2.3', '198.51.100.1, 203.0.113.7'), '203.0.113.7')
  assert.equal(addressOf(setting, '10.1.2.3', '203.0.113.7, fd00::5, 192.0.2.9'), '203.0.113.7')
  assert.equal(addressOf(setting, '::ffff:10.1.2.3', '203.0.113.7'), '203.0.113.7')
  assert.equal(addressOf(setting, '203.0.113.99', '198.51.100.1'), '203.0.113.99')
  assert.equal(addressOf(setting, '10.1.2.3', '10.0.0.2'), '10.0.0.2')
})

test('entries may have ports, and text that is no address is never used', () => {
  assert.equal(addressOf('1', '10.0.0.1', '203.0.113.7:5000'), '203.0.113.7')
  assert.equal(addressOf('1', '10.0.0.1', '[2001:db8::1]:5000'), '2001:db8::1')
  assert.equal(addressOf('1', '10.0.0.1', '[2001:db8::1]'), '2001:db8::1')
  for (const text of ['', 'unknown', 'x'.repeat(5000), '203.0.113.7, -', '1.2.3.4.5']) {
    assert.equal(addressOf('2', '10.0.0.1', text), '10.0.0.1')
  }
  const many = `203.0.113.7${', 10.0.0.2'.repeat(1000)}`
  assert.equal(addressOf('10.0.0.0/8', '10.0.0.1', many), '10.0.0.2')
})

test('addresses of one IPv6 network count as one', () => {
  assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(networkOf('2001:0DB8:1:2::9'), '2001:db8:1:2::/64')
  assert.equal(networkOf('2001:db8::9'), '2001:db8:0:0::/64')
  assert.equal(networkOf('::1'), '0:0:0:0::/64')
  assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
})
