# Queries that ActiveRecord and Sequel write for calls of their own.
#
# usage: ruby ruby.rb activerecord|sequel
#
# Prints what client.py does, with Ruby's types.
require 'bigdecimal'
require 'json'
require 'pg'

METER = PG.connect

def charged
  METER.exec('SELECT coalesce(sum(statements), 0)::int FROM dp_agg.budgets WHERE role = current_user::regrole').getvalue(0, 0).to_i
end

def text(value)
  value.is_a?(BigDecimal) ? value.to_s('F') : value&.to_s
end

def say(line)
  puts JSON.generate(line)
end

# Ask what returns a value, a row or rows, and print that; nothing is known of the names of its columns.
def ask(name)
  before = charged
  answer = yield
  answer = [answer] unless answer.is_a?(Array)
  rows = answer.first.is_a?(Array) ? answer : [answer]
  say(name: name, columns: [], types: rows.first.map { |value| value.class.name }, rows: rows.map { |row| row.map { |value| text(value) } },
      charged: charged - before)
rescue StandardError => e
  say(name: name, error: e.message)
end

# Ask for what only the owner may read: how many rows came, or the SQLSTATE.
def refused(name)
  before = charged
  begin
    answer = yield
  rescue StandardError => e
    cause = e.respond_to?(:wrapped_exception) ? e.wrapped_exception : e.cause || e
    answer = cause.is_a?(PG::Error) && cause.result ? cause.result.error_field(PG::PG_DIAG_SQLSTATE) : e.message
  end
  say(name: name, answer: answer, charged: charged - before)
end

def activerecord
  require 'active_record'
  base = ActiveRecord::Base
  base.establish_connection(adapter: 'postgresql', host: ENV['PGHOST'], port: ENV['PGPORT'], username: ENV['PGUSER'], database: ENV['PGDATABASE'])
  visit = Class.new(base) { self.table_name = 'visits' }
  Object.const_set(:Visit, visit)
  people = Class.new(base) do
    self.table_name = 'people'
    has_many :visits, foreign_key: :person
  end
  Object.const_set(:Person, people)

  ask('count') { people.count }
  ask('where') { people.where(age: 30..50, city: %w[Graz Linz]).count }
  ask('distinct') { people.distinct.count(:city) }
  ask('sum') { people.sum(:points) }
  ask('average') { people.where('age >= ?', 30).average(:age) }
  ask('minimum') { people.minimum(:born) }
  ask('groups') { people.group(:city).having('count(*) > ?', 10).order(:city).count.to_a }
  ask('pluck') { people.group(:city).order(:city).pluck(:city, Arel.sql('count(*)'), Arel.sql('avg(age)')) }
  ask('keys') { people.distinct.order(:city).pluck(:city).map { |city| [city] } }
  ask('joins') { people.joins(:visits).where(city: 'Wien').where('visits.cost > 100').count }
  ask('eager_load') { people.eager_load(:visits).count }
  ask('exists?') { people.exists?(city: 'Wien') }
  ask('nobody') { people.where(city: 'Nowhere').exists? }
  ask('empty?') { people.where(age: 30..).empty? }
  ask('nested') { people.transaction { people.transaction(requires_new: true) { people.count } } }
  ask('cached') { people.cache { [people.count, people.count] } }
  refused('first') { people.first && 1 }
  refused('find_each') { people.find_each.count }
end

def sequel
  require 'sequel'
  database = Sequel.connect(adapter: 'postgres', host: ENV['PGHOST'], port: ENV['PGPORT'], user: ENV['PGUSER'], database: ENV['PGDATABASE'])
  database.extension(:pagination)
  people = database[:people]
  model = Class.new(Sequel::Model(:people))

  ask('count') { people.count }
  ask('where') { people.where(age: 30..50, city: %w[Graz Linz]).count }
  ask('distinct') { people.select(:city).distinct.count }
  ask('sum') { people.sum(:points) }
  ask('avg') { people.where { age >= 30 }.avg(:age) }
  ask('extremes') { people.get { [min(:age).as(:a), max(:born).as(:b)] } }
  ask('groups') { people.group_and_count(:city).having { count.function.* > 10 }.order(:city).map(%i[city count]) }
  ask('keys') { people.distinct.order(:city).select_map([:city]) }
  ask('filtered') { people.get { count.function.*.filter(:active) } }
  ask('joined') { people.join(:visits, person: :id).where { cost > 100 }.count }
  ask('prepared') { people.where(city: :$city).select { count.function.* }.prepare(:first, :by_city).call(city: 'Wien').values }
  ask('model') { model.where(city: 'Wien').avg(:age) }
  ask('empty?') { people.where(city: 'Wien').empty? }
  ask('nobody') { people.where(city: 'Nowhere').empty? }
  ask('total') { people.order(:id).paginate(1, 10).pagination_record_count }
  ask('cursor') { people.group_and_count(:city).order(:city).use_cursor(rows_per_fetch: 2).map(%i[city count]) }
  ask('copied') { database.copy_table(people.group_and_count(:city).order(:city)).lines.map { |line| line.chomp.split("\t") } }
  refused('first') { people.first && 1 }
  refused('paged_each') { people.order(:id).paged_each.count }
end

method(ARGV[0]).call
